//! Makes the journey with the client that openapi-generator writes (generator rust, library reqwest).

// The document says that deletePlanet is deprecated.
#![allow(deprecated)]

use std::collections::HashSet;
use std::env;
use std::error::Error as AnyError;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use galaxy::apis::authentication_api::{create_user, get_me, get_token};
use galaxy::apis::callbacks_api::{
    create_inbox, create_webhook, delete_webhook, get_inbox, ping_webhook,
};
use galaxy::apis::configuration::Configuration;
use galaxy::apis::planets_api::{
    CreatePlanetError, GetPlanetError, UpdatePlanetError, create_planet, delete_planet,
    get_all_data, get_planet, update_planet, upload_image,
};
use galaxy::apis::{Error, ResponseContent};
use galaxy::models::bearer_receiver_auth::Scheme;
use galaxy::models::{
    AtmosphereComponent, BearerReceiverAuth, Credentials, InboxInput, PhysicalProperties,
    PlanetInput, PlanetKind, ReceiverAuth, ReceiverScheme, SatelliteInput, SatelliteOrbitInput,
    SignUp, SubscribableEvent, Temperature, WebhookInput,
};
use http::{Extensions, HeaderMap};
use reqwest_middleware::{ClientBuilder, Middleware, Next, reqwest};
use uuid::Uuid;

/// Keeps the headers of the latest response, which the functions of the client do not return.
#[derive(Clone, Default)]
struct Headers(Arc<Mutex<HeaderMap>>);

impl Headers {
    fn get(&self, name: &str) -> String {
        let headers = self.0.lock().unwrap();
        headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
            .to_owned()
    }
}

#[async_trait::async_trait]
impl Middleware for Headers {
    async fn handle(
        &self,
        request: reqwest::Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        let response = next.run(request, extensions).await?;
        *self.0.lock().unwrap() = response.headers().clone();
        Ok(response)
    }
}

/// The error with which the service refuses a request, as its type.
fn refusal<T, E>(result: Result<T, Error<E>>) -> Result<E, Box<dyn AnyError>> {
    match result {
        Err(Error::ResponseError(ResponseContent {
            entity: Some(entity),
            ..
        })) => Ok(entity),
        Err(other) => Err(format!("no typed error: {other}").into()),
        Ok(_) => Err("no error".into()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn AnyError>> {
    let headers = Headers::default();
    let mut configuration = Configuration {
        base_path: env::var("GALAXY_URL")?,
        client: ClientBuilder::new(reqwest::Client::new())
            .with(headers.clone())
            .build(),
        ..Configuration::default()
    };

    let email = format!("{}@example.com", Uuid::new_v4());
    let password = "i-love-planets".to_owned();
    let account = SignUp {
        name: Some("Traveller".to_owned()),
        ..SignUp::new(email.clone(), password.clone())
    };
    let user = create_user(&configuration, account).await?;
    assert_eq!(user.name.as_deref(), Some("Traveller"));
    println!("sign up");

    let signed_in = get_token(&configuration, Credentials::new(email, password)).await?;
    configuration.bearer_access_token = Some(signed_in.token);
    assert_eq!(get_me(&configuration, None).await?.id, user.id);
    println!("token");

    let physical_properties = PhysicalProperties {
        mass: Some(0.107123456789),
        radius: Some(9.204938554384977),
        gravity: Some(0.378000000001),
        temperature: Some(Temperature {
            min: Some(130.5),
            max: Some(308.25),
            average: Some(210.123456789),
        }),
    };
    let orbit = SatelliteOrbitInput {
        orbital_period: Some(0.319123456789),
        distance: Some(9376.5),
    };
    let arrakis = PlanetInput {
        description: Some(Some("The desert planet".to_owned())),
        r#type: Some(PlanetKind::Terrestrial),
        habitability_index: Some(0.68),
        physical_properties: Some(physical_properties.clone()),
        atmosphere: Some(vec![
            AtmosphereComponent {
                compound: Some("CO2".to_owned()),
                percentage: Some(95.3),
            },
            AtmosphereComponent {
                compound: Some("N2".to_owned()),
                percentage: Some(2.7),
            },
        ]),
        discovered_at: Some("1965-08-01T00:00:00Z".parse()?),
        tags: Some(vec!["desert".to_owned(), "spice".to_owned()]),
        satellites: Some(vec![SatelliteInput {
            diameter: Some(22.2),
            orbit: Some(Box::new(orbit.clone())),
            ..SatelliteInput::new("Muad’Dib".to_owned())
        }]),
        ..PlanetInput::new("Arrakis".to_owned())
    };
    let planet = create_planet(&configuration, arrakis.clone(), None).await?;
    let id: i64 = planet.id;
    assert_eq!(
        headers.get("Location"),
        format!("{}/planets/{id}", configuration.base_path)
    );
    assert_eq!(planet.name, arrakis.name);
    assert_eq!(planet.description, arrakis.description);
    assert_eq!(planet.r#type, arrakis.r#type);
    assert_eq!(planet.habitability_index, arrakis.habitability_index);
    assert_eq!(planet.physical_properties, Some(physical_properties));
    assert_eq!(planet.atmosphere, arrakis.atmosphere);
    assert_eq!(planet.discovered_at, arrakis.discovered_at);
    assert_eq!(planet.tags, arrakis.tags);
    let satellite = &planet.satellites.as_ref().unwrap()[0];
    assert_eq!(satellite.name, "Muad’Dib");
    assert_eq!(
        satellite.orbit.as_ref().unwrap().orbital_period,
        orbit.orbital_period
    );
    assert_eq!(planet.creator.as_ref().unwrap().id, user.id);
    println!("create a planet");

    let mut seen = HashSet::new();
    let mut offset = 0;
    for _ in 0..4 {
        let page = get_all_data(
            &configuration,
            Some(5),
            Some(offset),
            None,
            None,
            None,
            None,
            None,
            None,
            None,
        )
        .await?;
        assert_eq!((page.meta.limit, page.meta.offset), (5, offset));
        assert_eq!(page.data.len(), 5);
        for each in page.data {
            assert!(seen.insert(each.id), "planet {} is on two pages", each.id);
        }
        let next = page.meta.next.ok_or("the pages end too early")?;
        let url = reqwest::Url::parse(&configuration.base_path)?.join(&next)?;
        let (_, value) = url
            .query_pairs()
            .find(|(name, _)| name == "offset")
            .ok_or("no offset")?;
        offset = value.parse()?;
    }
    assert_eq!(seen.len(), 20);
    println!("page through planets");

    get_planet(&configuration, id, None).await?;
    let etag = headers.get("ETag");
    assert!(etag.starts_with('"'), "{etag} is no entity tag");
    let changed = PlanetInput {
        name: "Dune".to_owned(),
        ..arrakis.clone()
    };
    let replaced = update_planet(&configuration, id, changed, Some(&etag)).await?;
    assert_eq!(replaced.name, "Dune");
    match refusal(update_planet(&configuration, id, arrakis, Some(&etag)).await)? {
        UpdatePlanetError::Status412(problem) => {
            assert!(
                problem.r#type.ends_with("/problems/precondition-failed"),
                "{problem:?}"
            );
        }
        other => panic!("{other:?} is not 412"),
    }
    println!("replace with If-Match");

    let uploaded = upload_image(
        &configuration,
        id,
        PathBuf::from(env::var("PICTURE")?),
        None,
        None,
    )
    .await?;
    assert_eq!(uploaded.mime_type, "image/png");
    println!("upload a picture");

    let inbox = create_inbox(&configuration, Some(InboxInput::new())).await?;
    let secret = Uuid::new_v4().to_string();
    let subscription = WebhookInput {
        auth: Some(Box::new(ReceiverAuth::BearerAuth(Box::new(
            BearerReceiverAuth::new(Scheme::BearerAuth, secret.clone()),
        )))),
        ..WebhookInput::new(inbox.url, vec![SubscribableEvent::NewPlanet])
    };
    let webhook = create_webhook(&configuration, subscription, None).await?;
    assert_eq!(
        webhook.auth.as_ref().unwrap().scheme,
        ReceiverScheme::BearerAuth
    );
    assert!(!serde_json::to_string(&webhook)?.contains(&secret));
    ping_webhook(&configuration, webhook.id).await?;
    let mut calls = vec![];
    for _ in 0..300 {
        calls = get_inbox(&configuration, &inbox.id, None, None).await?.data;
        if !calls.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let call = calls.first().ok_or("no call came")?;
    let credential = call
        .headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case("Authorization"));
    assert_eq!(
        credential.map(|header| header.value.clone()),
        Some(format!("Bearer {secret}"))
    );
    println!("webhook with a credential");

    match refusal(create_planet(&configuration, PlanetInput::new(String::new()), None).await)? {
        CreatePlanetError::Status400(problem) => {
            assert!(
                problem.r#type.ends_with("/problems/invalid-body"),
                "{problem:?}"
            );
            let errors = problem.errors.ok_or("no errors")?;
            assert_eq!(errors[0].pointer, "/name");
            assert!(!errors[0].detail.is_empty());
        }
        other => panic!("{other:?} is not 400"),
    }
    println!("problem with errors");

    delete_webhook(&configuration, webhook.id).await?;
    delete_planet(&configuration, id, None).await?;
    match refusal(get_planet(&configuration, id, None).await)? {
        GetPlanetError::Status404(problem) => {
            assert!(
                problem.r#type.ends_with("/problems/not-found"),
                "{problem:?}"
            );
        }
        other => panic!("{other:?} is not 404"),
    }
    println!("delete");
    Ok(())
}
