//! A small reader of arithmetic: text to tokens, tokens to a value.

use std::collections::HashMap;
use std::fmt;

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Number(f64),
    Name(String),
    Operator(char),
    Open,
    Close,
}

#[derive(Debug)]
pub enum ReadError {
    Unexpected { character: char, position: usize },
    UnknownName(String),
    UnbalancedParenthesis,
    Empty,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Unexpected { character, position } => {
                write!(f, "unexpected '{}' at position {}", character, position)
            }
            ReadError::UnknownName(name) => write!(f, "\"{}\" has no value", name),
            ReadError::UnbalancedParenthesis => write!(f, "a parenthesis is left open"),
            ReadError::Empty => write!(f, "there is nothing to compute"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Splits the text; white space separates and is dropped.
pub fn tokens(text: &str) -> Result<Vec<Token>, ReadError> {
    let characters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut position = 0;

    while position < characters.len() {
        let character = characters[position];
        if character.is_whitespace() {
            position += 1;
            continue;
        }
        if character.is_ascii_digit() {
            let start = position;
            while position < characters.len()
                && (characters[position].is_ascii_digit() || characters[position] == '.')
            {
                position += 1;
            }
            let literal: String = characters[start..position].iter().collect();
            // Two dots in a number end up here.
            let value = literal.parse().map_err(|_| ReadError::Unexpected {
                character,
                position: start,
            })?;
            found.push(Token::Number(value));
            continue;
        }
        if character.is_alphabetic() {
            let start = position;
            while position < characters.len() && characters[position].is_alphanumeric() {
                position += 1;
            }
            found.push(Token::Name(characters[start..position].iter().collect()));
            continue;
        }
        found.push(match character {
            '(' => Token::Open,
            ')' => Token::Close,
            '+' | '-' | '*' | '/' | '^' => Token::Operator(character),
            _ => return Err(ReadError::Unexpected { character, position }),
        });
        position += 1;
    }
    Ok(found)
}

/// Names and what they stand for.
#[derive(Default)]
pub struct Scope {
    values: HashMap<String, f64>,
    depth: usize, // how many scopes are above this one
}

impl Scope {
    pub fn with_constants() -> Self {
        let mut scope = Scope::default();
        scope.values.insert("pi".to_string(), std::f64::consts::PI);
        scope.values.insert("e".to_string(), std::f64::consts::E);
        scope
    }

    pub fn define(&mut self, name: &str, value: f64) -> Option<f64> {
        self.values.insert(name.to_string(), value)
    }

    pub fn lookup(&self, name: &str) -> Result<f64, ReadError> {
        self.values
            .get(name)
            .copied()
            .ok_or_else(|| ReadError::UnknownName(name.to_string()))
    }

    pub fn nested(&self) -> Self {
        Scope {
            values: self.values.clone(),
            depth: self.depth + 1,
        }
    }
}

fn precedence(operator: char) -> u8 {
    match operator {
        '+' | '-' => 1,
        '*' | '/' => 2,
        '^' => 3,
        _ => 0,
    }
}

fn apply(operator: char, left: f64, right: f64) -> f64 {
    match operator {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        '/' => left / right,
        _ => left.powf(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_told_apart() {
        let found = tokens("2 * radius").unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], Token::Number(2.0));
        assert_eq!(found[2], Token::Name("radius".to_string()));
    }

    #[test]
    fn unknown_characters_are_named() {
        let error = tokens("2 $ 3").unwrap_err();
        assert!(error.to_string().contains("position 2"));
    }
}
