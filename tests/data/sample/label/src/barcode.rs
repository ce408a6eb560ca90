use std::fmt;

/// Why a text cannot be printed as a barcode.
#[derive(Debug, PartialEq)]
pub enum BarcodeError {
    Empty,
    BadCharacter(char),
    TooLong(usize),
}

impl fmt::Display for BarcodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BarcodeError::Empty => write!(f, "nothing to print"),
            BarcodeError::BadCharacter(c) => write!(f, "'{c}' is not in Code 128"),
            BarcodeError::TooLong(n) => write!(f, "{n} characters do not fit on a label"),
        }
    }
}

const LONGEST: usize = 40;

/// A barcode in Code 128, ready for the printer.
pub struct Barcode {
    values: Vec<u8>,
}

impl Barcode {
    /// Encodes the text; the last value is the check digit.
    pub fn encode(text: &str) -> Result<Self, BarcodeError> {
        if text.is_empty() {
            return Err(BarcodeError::Empty);
        }
        if text.len() > LONGEST {
            return Err(BarcodeError::TooLong(text.len()));
        }
        let mut values = vec![104];
        for c in text.chars() {
            if !(' '..='~').contains(&c) {
                return Err(BarcodeError::BadCharacter(c));
            }
            values.push(c as u8 - 32);
        }
        values.push(check_digit(&values));
        Ok(Barcode { values })
    }

    /// Widths of bars and gaps, in modules.
    pub fn width(&self) -> usize {
        self.values.len() * 11 + 13
    }
}

fn check_digit(values: &[u8]) -> u8 {
    let sum: usize = values
        .iter()
        .enumerate()
        .map(|(i, v)| i.max(1) * usize::from(*v))
        .sum();
    (sum % 103) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_letters_outside_of_ascii() {
        assert_eq!(Barcode::encode("ä").err(), Some(BarcodeError::BadCharacter('ä')));
    }
}
