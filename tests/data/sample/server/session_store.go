package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"sync"
	"time"
)

var errWrongPassword = errors.New("name or password is wrong")

// SessionStore remembers who is signed in. Sessions expire when they are idle for too long.
type SessionStore struct {
	mu       sync.Mutex
	sessions map[string]*session
	idle     time.Duration
}

type session struct {
	name     string
	lastSeen time.Time
}

func NewSessionStore(idle time.Duration) *SessionStore {
	return &SessionStore{sessions: map[string]*session{}, idle: idle}
}

// Create signs a clerk in and returns the id for the cookie.
func (s *SessionStore) Create(name, password string) (string, error) {
	if !checkPassword(name, password) {
		return "", errWrongPassword
	}
	raw := make([]byte, 16)
	if _, err := rand.Read(raw); err != nil {
		return "", err
	}
	id := hex.EncodeToString(raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[id] = &session{name: name, lastSeen: time.Now()}
	return id, nil
}

// Find returns the clerk of a session that has not expired.
func (s *SessionStore) Find(id string, now time.Time) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.sessions[id]
	if found == nil || now.Sub(found.lastSeen) > s.idle {
		delete(s.sessions, id)
		return "", false
	}
	found.lastSeen = now
	return found.name, true
}

// Close signs everybody out.
func (s *SessionStore) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = map[string]*session{}
}

func checkPassword(name, password string) bool {
	return name != "" && len(password) >= 12
}
