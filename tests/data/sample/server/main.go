package main

import (
	"log"
	"net/http"
	"os"
	"time"
)

// listenAddress is where clerks reach the server unless PARCEL_ADDR says otherwise.
const listenAddress = "127.0.0.1:8080"

func main() {
	addr := os.Getenv("PARCEL_ADDR")
	if addr == "" {
		addr = listenAddress
	}
	sessions := NewSessionStore(30 * time.Minute)
	limiter := NewRateLimiter(120, time.Minute)
	server := &http.Server{
		Addr:              addr,
		Handler:           newRouter(sessions, limiter),
		ReadHeaderTimeout: 5 * time.Second,
	}
	log.Printf("listening on %s", addr)
	log.Fatal(server.ListenAndServe())
}
