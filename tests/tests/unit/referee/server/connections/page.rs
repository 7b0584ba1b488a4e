//! Tests of the module `server::connections::page`.

use std::io::Read as _;

use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use prost::bytes::Bytes;
use referee::server::connections::page::{INDEX, NAMED_BY_CONTENT, POLICY, answer, kind};
use referee::shipped::page_files;

fn get(path: &str, headers: &[(&str, &str)]) -> Option<Response<Full<Bytes>>> {
    let mut request = Request::get(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    answer(&request.body(()).expect("a request"))
}

fn header<'a>(response: &'a Response<Full<Bytes>>, name: &str) -> &'a str {
    let value = response.headers().get(name).map(HeaderValue::to_str);
    value.unwrap_or(Ok("")).expect("a text")
}

async fn body(response: Response<Full<Bytes>>) -> Bytes {
    let collected = response.into_body().collect().await;
    collected.expect("a body in memory").to_bytes()
}

#[tokio::test]
async fn every_file_is_what_was_built_packed_or_not() {
    let files = page_files().expect("the files of the page");
    assert!(files.iter().any(|file| format!("/{}", file.path) == INDEX));
    for file in files {
        let path = format!("/{}", file.path);
        let plain = get(&path, &[]).expect("a file of the page");
        assert_eq!(
            header(&plain, "content-length"),
            file.bytes.len().to_string()
        );
        assert_eq!(header(&plain, "content-encoding"), "");
        assert!(body(plain).await == *file.bytes, "{path}");
        let packed = get(&path, &[("accept-encoding", "br;q=1.0, gzip;q=0.5")]);
        let packed = packed.expect("a file of the page");
        assert_eq!(header(&packed, "content-encoding"), "gzip");
        assert_eq!(header(&packed, "content-security-policy"), POLICY);
        assert_ne!(kind(&path), "application/octet-stream", "{path}");
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&body(packed).await[..])
            .read_to_end(&mut unpacked)
            .expect("it is packed by gzip");
        assert!(unpacked == *file.bytes, "{path}");
    }
}

/// With `nosniff`, browsers refuse style sheets and scripts of any other type.
#[test]
fn content_type_follows_the_extension() {
    let types = [
        ("html", "text/html; charset=utf-8"),
        ("js", "text/javascript; charset=utf-8"),
        ("css", "text/css; charset=utf-8"),
        ("svg", "image/svg+xml"),
    ];
    for file in page_files().expect("the files of the page") {
        let path = format!("/{}", file.path);
        let extension = path.rsplit('.').next();
        let expected = types.iter().find(|(of, _)| Some(*of) == extension);
        let (_, expected) = expected.unwrap_or_else(|| panic!("no type for {path}"));
        let response = get(&path, &[]).expect("a file of the page");
        assert_eq!(header(&response, "content-type"), *expected, "{path}");
        assert_eq!(header(&response, "x-content-type-options"), "nosniff");
    }
}

#[test]
fn what_begins_it_is_asked_for_anew_and_the_rest_is_kept() {
    let index = get("/", &[]).expect("the page");
    assert_eq!(header(&index, "cache-control"), "no-cache");
    let tag = header(&index, "etag").to_owned();
    let again = get("/", &[("if-none-match", &format!("\"other\", W/{tag}"))]);
    assert_eq!(again.expect("the page").status(), StatusCode::NOT_MODIFIED);
    let files = page_files().expect("the files of the page");
    let mut paths = files.iter().map(|file| format!("/{}", file.path));
    let asset = paths.find(|path| path.starts_with(NAMED_BY_CONTENT));
    let asset = get(&asset.expect("an asset"), &[]).expect("an asset");
    assert!(header(&asset, "cache-control").contains("immutable"));
    assert_eq!(
        get("/", &[("accept-encoding", "gzip;q=0")])
            .map(|it| header(&it, "content-encoding").to_owned()),
        Some(String::new())
    );
}

#[test]
fn the_server_for_work_on_the_page_sends_the_same_policy() {
    let script = include_str!("../../../../../../referee/web/scripts/serve.mjs");
    assert!(script.contains(&format!("\"{POLICY}\"")));
}

#[test]
fn everything_else_goes_on_to_the_service() {
    for path in [
        "/assets/",
        "/assets/../index.html",
        "/livez",
        "/referee.v1.ServerService/GetServerInfo",
    ] {
        assert!(get(path, &[]).is_none(), "{path}");
    }
    let posted = Request::post("/").body(()).expect("a request");
    assert!(answer(&posted).is_none());
}
