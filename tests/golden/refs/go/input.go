package store

import (
	"fmt"
	. "math"
	db "example.com/x/database"
	_ "side/effect"
)

type Handler func(w Writer, r *Request) error
type Alias = db.Conn
type ID Key

const Limit, Other = 10, 20

var def *Store = New("x")

type Store struct {
	*Base
	db.Mixin
	conn, spare *db.Conn
	users       map[string]*User
	items       []Item
}

type Reader interface {
	fmt.Stringer
	Read(p []byte) (n int, err error)
}

type Stack[T any] struct {
	list []T
}

func (s *Stack[T]) Top() T {
	return s.list[0]
}

func New(name string, opts ...Option) (*Store, error) {
	s := &Store{conn: dial(name), users: map[string]*User{name: {Name: name}}}
	for _, o := range opts {
		o.apply(s)
	}
	conn, err := db.Open(name)
	if err != nil && conn != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	conn.Ping()
	a, b := s.conn, New
	a.Close()
	b("y")
	return s, nil
}

func (s *Store) Get(id string, n int) *User {
	u := s.users[id]
	u.Touch()
	for k, v := range s.users {
		v.Name = k
	}
	for i := range s.items {
		s.items[i].Show()
	}
	if x, ok := u.Extra.(*Item); ok {
		x.Show()
	}
	switch v := u.Extra.(type) {
	case *Item:
		v.Show()
	default:
	}
	s.count++
	p := new(db.Conn)
	p.Close()
	list := make([]Item, 0)
	list[0].Show()
	go func(c *db.Conn) {
		c.Close()
		s.Get("x", Limit)
	}(p)
	http.HandleFunc("/users", s.serve)
	return Must(s.find(Sqrt(2))).User
}
