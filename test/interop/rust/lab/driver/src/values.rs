//! The values of a case, and reports of what was decoded.

use std::collections::HashMap;

use base64::{Engine, engine::general_purpose::STANDARD};
use futures::TryStreamExt;
use progenitor_client::{ByteStream, Error, ResponseValue};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A name without case and signs.
pub fn plain(name: &str) -> String {
    name.to_lowercase()
        .chars()
        .filter(|it| it.is_alphanumeric())
        .collect()
}

/// The values of a case by the plain names of their parameters. The value of the body is `body`.
pub struct Given(HashMap<String, Value>);

impl Given {
    pub fn new(input: &Value) -> Self {
        let parameters = input["parameters"]
            .as_object()
            .into_iter()
            .flat_map(Map::values);
        let parameters = parameters.filter_map(Value::as_object).flatten();
        let body = input
            .get("body")
            .map(|body| ("body".to_string(), body["value"].clone()));
        Given(
            parameters
                .map(|(name, value)| (plain(name), value.clone()))
                .chain(body)
                .collect(),
        )
    }

    /// The value of a parameter as the type that the client wants.
    pub fn value<T: DeserializeOwned>(&self, name: &str) -> Result<T, String> {
        let value = self.0.get(&plain(name)).map_or(Value::Null, without_tags);
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    pub fn bytes(&self, name: &str) -> Result<Vec<u8>, String> {
        let text: String = self.value(name)?;
        STANDARD.decode(text).map_err(|error| error.to_string())
    }
}

/// Dates, numbers and bytes are texts in JSON.
fn without_tags(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_tags).collect(),
        Value::Object(members) => {
            let mut tags = members
                .iter()
                .filter(|(name, _)| name.starts_with('$') && members.len() == 1);
            match tags.next().map(|(name, value)| (name.as_str(), value)) {
                Some(("$int64", text)) => {
                    serde_json::from_str(text.as_str().unwrap_or_default()).unwrap_or_default()
                }
                Some(("$date" | "$dateTime" | "$bytes", text)) => text.clone(),
                _ => members
                    .iter()
                    .map(|(name, value)| (name.clone(), without_tags(value)))
                    .collect(),
            }
        }
        _ => value.clone(),
    }
}

/// What an error says.
pub fn text<E>(error: Error<E>) -> String {
    error.into_untyped().to_string()
}

pub async fn read(response: ResponseValue<ByteStream>) -> Result<Vec<u8>, String> {
    let chunks: Vec<_> = response
        .into_inner_stream()
        .try_collect()
        .await
        .map_err(|it| it.to_string())?;
    Ok(chunks.concat())
}

pub fn parse(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

pub fn encode(decoded: &impl Serialize) -> Result<Value, String> {
    serde_json::to_value(decoded).map_err(|error| error.to_string())
}

/// A report of a response: its status, its headers, and members of its body.
pub fn report<T: DeserializeOwned>(
    status: StatusCode,
    headers: &HeaderMap,
    body: &Value,
    names: &[&str],
) -> Result<T, String> {
    let members = names.iter().map(|&name| {
        let header = headers
            .get(format!("x-{name}"))
            .and_then(|it| it.to_str().ok());
        let value = match (name, header) {
            ("status", _) => json!(status.as_u16()),
            ("colors", Some(text)) => text.split(',').map(str::trim).collect(),
            ("count", Some(text)) => parse(text.as_bytes())?,
            (_, Some(text)) => json!(text),
            (_, None) => body[name].clone(),
        };
        Ok((name.to_string(), value))
    });
    let report: Value = members.collect::<Result<Map<_, _>, String>>()?.into();
    serde_json::from_value(report).map_err(|error| error.to_string())
}
