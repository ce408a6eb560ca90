package main

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// RateLimiter allows each address a number of requests in a window of time: a token bucket that
// fills evenly.
type RateLimiter struct {
	mu      sync.Mutex
	buckets map[string]*bucket
	limit   float64
	window  time.Duration
}

type bucket struct {
	tokens float64
	last   time.Time
}

// NewRateLimiter makes a limiter of `limit` requests per window.
func NewRateLimiter(limit int, window time.Duration) *RateLimiter {
	return &RateLimiter{
		buckets: map[string]*bucket{},
		limit:   float64(limit),
		window:  window,
	}
}

// Allow takes a token of the address, or says that there is none left.
func (l *RateLimiter) Allow(address string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[address]
	if b == nil {
		b = &bucket{tokens: l.limit, last: now}
		l.buckets[address] = b
	}
	filled := now.Sub(b.last).Seconds() / l.window.Seconds() * l.limit
	b.tokens = min(l.limit, b.tokens+filled)
	b.last = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// Wrap refuses requests over the limit with 429 Too Many Requests.
func (l *RateLimiter) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		if !l.Allow(host, time.Now()) {
			w.Header().Set("Retry-After", "60")
			http.Error(w, "slow down", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
