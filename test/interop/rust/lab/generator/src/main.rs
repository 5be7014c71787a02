//! Writes the client of a document with progenitor (`client.rs`), and the calls of its methods (`calls.rs`).
//!
//! The arguments are the file of the document, in OpenAPI 3.0, and the folder for both files.

mod calls;

use std::env::args;
use std::error::Error;
use std::fs::{File, write};
use std::path::PathBuf;

use progenitor_impl::Generator;

fn main() -> Result<(), Box<dyn Error>> {
    let [document, folder] = [1, 2].map(|index| args().nth(index).map(PathBuf::from));
    let (Some(document), Some(folder)) = (document, folder) else {
        return Err("The arguments are a document and a folder.".into());
    };
    let document = serde_json::from_reader(File::open(document)?)?;
    let client = syn::parse2(Generator::default().generate_tokens(&document)?)?;
    write(folder.join("client.rs"), prettyplease::unparse(&client))?;
    let calls = syn::parse2(calls::calls_of(&client))?;
    write(folder.join("calls.rs"), prettyplease::unparse(&calls))?;
    Ok(())
}
