// Signs a user in with go-oidc and x/oauth2, as their documentation shows. It prints the URL to which the user goes, and
// reads the one with which the user comes back.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	. "galaxy.test/interop/journey"
)

func main() {
	ctx := context.Background()
	id, secret := os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET")
	provider := Got(oidc.NewProvider(ctx, URL()))
	config := oauth2.Config{
		ClientID:     id,
		ClientSecret: secret,
		RedirectURL:  os.Getenv("REDIRECT_URI"),
		Endpoint:     provider.Endpoint(),
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email", "read:account", oidc.ScopeOfflineAccess},
	}
	state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
	fmt.Println(config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)))
	line := Got(bufio.NewReader(os.Stdin).ReadString('\n'))
	redirect := Got(url.Parse(strings.TrimSpace(line))).Query()
	Equal("the state", redirect.Get("state"), state)
	token := Got(config.Exchange(ctx, redirect.Get("code"), oauth2.VerifierOption(verifier)))
	raw, _ := token.Extra("id_token").(string)
	idToken := Got(provider.Verifier(&oidc.Config{ClientID: id}).Verify(ctx, raw))
	Equal("the nonce", idToken.Nonce, nonce)
	Must(idToken.VerifyAccessToken(token.AccessToken))
	user := Got(provider.UserInfo(ctx, config.TokenSource(ctx, token)))
	Equal("the subject", user.Subject, idToken.Subject)
	fmt.Println(user.Email)

	renewed := Got(config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token())
	True("the token is another one", renewed.AccessToken != token.AccessToken)
	fmt.Println(statusOf(oauth2.NewClient(ctx, oauth2.StaticTokenSource(renewed)), "/me"))

	own := clientcredentials.Config{
		ClientID:     id,
		ClientSecret: secret,
		TokenURL:     provider.Endpoint().TokenURL,
		Scopes:       []string{"read:account"},
	}
	fmt.Println(statusOf(own.Client(ctx), "/webhooks"))
}

func statusOf(client *http.Client, path string) int {
	response := Got(client.Get(URL() + path))
	defer response.Body.Close()
	return response.StatusCode
}
