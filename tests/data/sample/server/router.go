package main

import (
	"encoding/json"
	"net/http"

	"parcel/middleware"
)

// newRouter connects every path of the API with its handler.
func newRouter(sessions *SessionStore, limiter *RateLimiter) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		handleLogin(w, r, sessions)
	})
	mux.HandleFunc("/parcels", handleListParcels)
	mux.HandleFunc("/track/", handleTrackParcel)
	mux.HandleFunc("/healthz", handleHealth)
	return limiter.Wrap(middleware.RequireToken(mux))
}

func handleLogin(w http.ResponseWriter, r *http.Request, sessions *SessionStore) {
	var body struct {
		Name     string `json:"name"`
		Password string `json:"password"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	id, err := sessions.Create(body.Name, body.Password)
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "session", Value: id, HttpOnly: true})
}

func handleListParcels(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, []string{})
}

// handleTrackParcel answers where a parcel was seen last.
func handleTrackParcel(w http.ResponseWriter, r *http.Request) {
	number := r.URL.Path[len("/track/"):]
	writeJSON(w, map[string]string{"number": number, "place": "unknown"})
}

func handleHealth(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusNoContent)
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
