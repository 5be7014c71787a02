//! Judges messages as the receiver of the documentation does: `judge verify` by webhook-signature, `judge verify_body` by
//! x-signature. Reads the messages from the file `CASES`, and prints its verdicts.

use std::{env, fs};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

#[allow(dead_code)]
#[path = "../build/receiver.rs"]
mod receiver;

fn main() {
    let file = env::var("CASES").expect("CASES is a file");
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let is_of_body = match env::args().nth(1).as_deref() {
        Some("verify") => false,
        Some("verify_body") => true,
        other => panic!("{other:?} is neither verify nor verify_body"),
    };
    let verdicts: Vec<bool> = cases.iter().map(|case| judge(case, is_of_body)).collect();
    println!("{}", serde_json::to_string(&verdicts).unwrap());
}

fn judge(case: &Value, is_of_body: bool) -> bool {
    let secret = case["secret"].as_str().unwrap();
    let body = case["body"].as_str().unwrap().as_bytes();
    let headers: HeaderMap = case["headers"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| {
            let value = HeaderValue::from_str(value.as_str().unwrap()).unwrap();
            (name.parse::<HeaderName>().unwrap(), value)
        })
        .collect();
    if is_of_body {
        receiver::verify_body(secret, &headers, body)
    } else {
        receiver::verify(secret, &headers, body, case["now"].as_u64().unwrap())
    }
}
