//! Calls every case of the laboratory once, with the client that progenitor has written. `LAB_URL` is the bench, and
//! `LAB_SKIP` names the cases to leave out. The calls are written from the signatures of the client, and what its types
//! implement of serde makes the values.

#[allow(warnings)]
mod client {
    include!(concat!(env!("LAB_CLIENT"), "/client.rs"));
}
mod calls {
    use super::client::{Client, Error, types};
    use super::values;
    include!(concat!(env!("LAB_CLIENT"), "/calls.rs"));
}
mod values;

use serde_json::{Value, json};
use values::{Given, plain};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bench = std::env::var("LAB_URL")?;
    let skipped = std::env::var("LAB_SKIP").unwrap_or_default();
    let skipped: Vec<&str> = skipped.split(',').collect();
    let client = client::Client::new(&bench);
    let catalogue: Value = reqwest::get(format!("{bench}/../../cases"))
        .await?
        .json()
        .await?;
    for case in catalogue["cases"].as_array().ok_or("no cases")? {
        let [id, group, operation] =
            ["id", "group", "operationId"].map(|it| case[it].as_str().unwrap_or_default());
        if skipped.contains(&id) || skipped.contains(&format!("{group}/*").as_str()) {
            continue;
        }
        let operation = plain(operation);
        let given = Given::new(&case["input"]);
        // `retry/post-once` has a GET that comes first.
        for operation in [format!("{operation}first"), operation] {
            if let Some(Err(error)) = calls::call(&client, &operation, &given).await {
                println!("{}", json!({ "case": id, "error": error.lines().next() }));
            }
        }
    }
    Ok(())
}
