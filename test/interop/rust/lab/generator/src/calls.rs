//! The calls of a client, from the signatures of its methods.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    Fields, File, FnArg, GenericArgument, Ident, ImplItem, ImplItemFn, Item, Pat, PathArguments,
    ReturnType, Type,
};

/// The method that sends back what another has decoded has the name of that one and this.
const REPORT: &str = "_report";

/// The function `call`, which calls the method of an operation with the values of a case.
pub fn calls_of(client: &File) -> TokenStream {
    let methods: BTreeMap<String, &ImplItemFn> = methods_of(client)
        .map(|it| (it.sig.ident.to_string(), it))
        .collect();
    let arms = methods
        .iter()
        .filter(|(name, _)| !name.ends_with(REPORT))
        .map(|(name, method)| {
            let key = name.replace('_', "");
            let body = match methods.get(&format!("{name}{REPORT}")) {
                Some(report) => call_and_report(method, report, client),
                None => call(method),
            };
            quote! { #key => Some(async { #body Ok(()) }.await) }
        });
    quote! {
        /// None if the client has no such operation.
        pub async fn call(client: &Client, operation: &str, given: &values::Given) -> Option<Result<(), String>> {
            match operation {
                #(#arms,)*
                _ => None,
            }
        }
    }
}

fn methods_of(client: &File) -> impl Iterator<Item = &ImplItemFn> {
    let blocks = client.items.iter().filter_map(|item| match item {
        Item::Impl(block) if block.trait_.is_none() => Some(block),
        _ => None,
    });
    blocks
        .flat_map(|block| &block.items)
        .filter_map(|item| match item {
            ImplItem::Fn(method) if method.sig.asyncness.is_some() => Some(method),
            _ => None,
        })
}

fn call(method: &ImplItemFn) -> TokenStream {
    let name = &method.sig.ident;
    let parameters = parameters_of(method);
    let values = parameters.iter().map(|(name, ty)| {
        let key = name.to_string();
        match ty {
            _ if is(ty, "B") => quote! { let #name = given.bytes(#key)?; },
            Type::Reference(reference) => {
                let owned = owned(&reference.elem);
                quote! { let #name: #owned = given.value(#key)?; }
            }
            _ => {
                let owned =
                    argument_of(ty).map_or(ty.to_token_stream(), |(option, inner)| match inner {
                        Type::Reference(reference) => {
                            let owned = owned(&reference.elem);
                            quote! { #option<#owned> }
                        }
                        _ => ty.to_token_stream(),
                    });
                quote! { let #name: #owned = given.value(#key)?; }
            }
        }
    });
    let arguments = parameters.iter().map(|(name, ty)| match ty {
        Type::Reference(_) => quote! { &#name },
        _ => match argument_of(ty) {
            Some((_, Type::Reference(reference))) if is(&reference.elem, "str") => {
                quote! { #name.as_deref() }
            }
            Some((_, Type::Reference(_))) => quote! { #name.as_ref() },
            _ => quote! { #name },
        },
    });
    quote! {
        #(#values)*
        client.#name(#(#arguments),*).await.map_err(values::text)?;
    }
}

/// A response goes back as it was decoded, or its members do in a report, which is an object of its own.
fn call_and_report(method: &ImplItemFn, report: &ImplItemFn, client: &File) -> TokenStream {
    let (get, put) = (&method.sig.ident, &report.sig.ident);
    let (decoded, refused) = results_of(method);
    let (_, sent) = parameters_of(report)
        .into_iter()
        .next()
        .expect("a report has a body");
    let sent = match &sent {
        Type::Reference(reference) => (*reference.elem).clone(),
        _ => sent,
    };
    if same(&decoded, &sent) {
        return quote! {
            let response = client.#get().await.map_err(values::text)?;
            client.#put(&response).await.map_err(values::text)?;
        };
    }
    if is(&sent, "B") {
        return quote! {
            let response = client.#get().await.map_err(values::text)?;
            client.#put(values::read(response).await?).await.map_err(values::text)?;
        };
    }
    let [decoded, refused] = [decoded, refused].map(|ty| match ty {
        Type::Tuple(_) => quote! { serde_json::Value::Null },
        _ if is(&ty, "ByteStream") => quote! { values::parse(&values::read(response).await?)? },
        _ => quote! { values::encode(&*response)? },
    });
    let names = members_of(client, &sent);
    quote! {
        let (status, headers, body) = match client.#get().await {
            Ok(response) => (response.status(), response.headers().clone(), #decoded),
            Err(Error::ErrorResponse(response)) => (response.status(), response.headers().clone(), #refused),
            Err(error) => return Err(values::text(error)),
        };
        let report: #sent = values::report(status, &headers, &body, &[#(#names),*])?;
        client.#put(&report).await.map_err(values::text)?;
    }
}

fn parameters_of(method: &ImplItemFn) -> Vec<(Ident, Type)> {
    let typed = method.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    typed
        .map(|typed| match &*typed.pat {
            Pat::Ident(name) => (name.ident.clone(), (*typed.ty).clone()),
            _ => panic!("a parameter without a name in {}", method.sig.ident),
        })
        .collect()
}

/// `T` and `E` of `Result<ResponseValue<T>, Error<E>>`.
fn results_of(method: &ImplItemFn) -> (Type, Type) {
    let ReturnType::Type(_, result) = &method.sig.output else {
        panic!("{} returns nothing", method.sig.ident);
    };
    let inner: Vec<Type> = arguments_of(result)
        .iter()
        .filter_map(|it| argument_of(it))
        .map(|(_, it)| it)
        .collect();
    match <[Type; 2]>::try_from(inner) {
        Ok([decoded, refused]) => (decoded, refused),
        Err(_) => panic!("{} has no result of two types", method.sig.ident),
    }
}

/// The arguments of a generic type.
fn arguments_of(ty: &Type) -> Vec<Type> {
    let Type::Path(path) = ty else { return vec![] };
    let Some(PathArguments::AngleBracketed(arguments)) =
        path.path.segments.last().map(|it| &it.arguments)
    else {
        return vec![];
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    });
    types.collect()
}

/// The name and the first argument of a generic type.
fn argument_of(ty: &Type) -> Option<(Ident, Type)> {
    let Type::Path(path) = ty else { return None };
    Some((
        path.path.segments.last()?.ident.clone(),
        arguments_of(ty).into_iter().next()?,
    ))
}

/// The names of the members of a generated object.
fn members_of(client: &File, ty: &Type) -> Vec<String> {
    let modules = client.items.iter().filter_map(|item| match item {
        Item::Mod(module) => module.content.as_ref().map(|(_, items)| items),
        _ => None,
    });
    let found = modules.flatten().find_map(|item| match item {
        Item::Struct(object) if last_of(ty).is_some_and(|name| *name == object.ident) => {
            Some(&object.fields)
        }
        _ => None,
    });
    match found {
        Some(Fields::Named(fields)) => fields
            .named
            .iter()
            .filter_map(|it| it.ident.as_ref())
            .map(Ident::to_string)
            .collect(),
        _ => panic!("no object {}", ty.to_token_stream()),
    }
}

fn last_of(ty: &Type) -> Option<&Ident> {
    let Type::Path(path) = ty else { return None };
    path.path.segments.last().map(|it| &it.ident)
}

fn is(ty: &Type, name: &str) -> bool {
    last_of(ty).is_some_and(|it| it == name)
}

fn same(one: &Type, other: &Type) -> bool {
    one.to_token_stream().to_string() == other.to_token_stream().to_string()
}

/// What a parameter refers to. The owner of a `str` is a `String`.
fn owned(ty: &Type) -> TokenStream {
    if is(ty, "str") {
        quote! { String }
    } else {
        ty.to_token_stream()
    }
}
