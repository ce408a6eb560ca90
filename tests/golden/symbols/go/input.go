// Package cart adds up.
package cart

import (
	"fmt"
	str "strings"
)

// MaxItems is the limit.
const MaxItems = 100

const (
	// Red is a colour.
	Red Color = iota
	green
)

var registry = map[string]Cart{}
var x, y int

// Color is one of three.
type Color int

// Cart is what a customer wants.
type Cart struct {
	// Items are its lines.
	Items []Item `json:"items"`
	a, b  int
	sync.Mutex
}

type (
	// Reader reads.
	Reader interface {
		// Read fills p.
		Read(p []byte) (n int, err error)
		fmt.Stringer
	}
	alias = Cart
	List[T any] struct{ head *T }
)

// Total is the sum.
func (c *Cart) Total(tax float64) float64 {
	// inside
	sum := func(i Item) float64 {
		return i.Price
	}
	const local = 1
	return sum(c.Items[0])
}

func (l List[T]) Push(v T) {}

func New[T any](owner string) *Cart {
	return nil
}

var handler = func(w Writer) {
	w.Write()
	w.Close()
}
