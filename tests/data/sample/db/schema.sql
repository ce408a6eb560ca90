-- Everything that must survive a restart.

CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE
);

CREATE TABLE parcels (
    number TEXT PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    weight_grams INTEGER NOT NULL CHECK (weight_grams > 0),
    accepted_at TEXT NOT NULL
);

-- One row for each time a parcel passes a scanner.
CREATE TABLE tracking_events (
    parcel_number TEXT NOT NULL REFERENCES parcels (number),
    station INTEGER NOT NULL,
    seen_at TEXT NOT NULL
);

CREATE INDEX tracking_by_parcel ON tracking_events (parcel_number, seen_at);
