-- Carts.
CREATE TABLE IF NOT EXISTS shop.carts (
  id serial PRIMARY KEY, -- the key
  owner text NOT NULL,
  total numeric(10, 2) DEFAULT 0
);

/* What is open. */
CREATE OR REPLACE VIEW open_carts AS
  SELECT * FROM carts WHERE total > 0;

CREATE MATERIALIZED VIEW totals AS SELECT sum(total) FROM carts;

CREATE UNIQUE INDEX carts_owner_idx ON carts (owner);

CREATE TYPE color AS ENUM ('red', 'green');

-- The sum.
CREATE FUNCTION total(cart_id int) RETURNS numeric AS $$
BEGIN
  RETURN 1;
END;
$$ LANGUAGE plpgsql;

CREATE TRIGGER bump AFTER INSERT ON carts FOR EACH ROW EXECUTE FUNCTION total();

CREATE SCHEMA app;

INSERT INTO carts (owner) VALUES ('x');
SELECT * FROM carts;
