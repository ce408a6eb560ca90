// Package middleware holds what stands in front of the handlers.
package middleware

import (
	"crypto/subtle"
	"net/http"
	"os"
	"strings"
)

// RequireToken lets only requests through whose bearer token is right. Signing in needs none.
func RequireToken(next http.Handler) http.Handler {
	wanted := os.Getenv("PARCEL_API_TOKEN")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" || r.URL.Path == "/healthz" {
			next.ServeHTTP(w, r)
			return
		}
		got := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(got), []byte(wanted)) != 1 {
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
