package main

import (
	"testing"
	"time"
)

func TestRateLimiterAllowsUpToTheLimit(t *testing.T) {
	limiter := NewRateLimiter(3, time.Minute)
	now := time.Unix(1000, 0)
	for i := 0; i < 3; i++ {
		if !limiter.Allow("10.0.0.1", now) {
			t.Fatalf("request %d was refused", i)
		}
	}
	if limiter.Allow("10.0.0.1", now) {
		t.Fatal("the fourth request was allowed")
	}
}

func TestRateLimiterFillsTheBucketAgain(t *testing.T) {
	limiter := NewRateLimiter(1, time.Minute)
	now := time.Unix(1000, 0)
	limiter.Allow("10.0.0.1", now)
	if !limiter.Allow("10.0.0.1", now.Add(time.Minute)) {
		t.Fatal("a minute later the limiter still refuses")
	}
}

func TestRateLimiterKeepsAddressesApart(t *testing.T) {
	limiter := NewRateLimiter(1, time.Minute)
	now := time.Unix(1000, 0)
	limiter.Allow("10.0.0.1", now)
	if !limiter.Allow("10.0.0.2", now) {
		t.Fatal("another address was refused")
	}
}
