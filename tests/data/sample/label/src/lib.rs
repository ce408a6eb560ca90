//! Labels for parcels.

pub mod barcode;

pub use barcode::{Barcode, BarcodeError};
