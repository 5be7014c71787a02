// Verifies access tokens as a resource server with go-oidc does, without asking the service about each. It reads lines of
// a name and a token, and prints for each the name and why the token is refused, or "accepted".
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"

	. "galaxy.test/interop/journey"
)

func main() {
	ctx := context.Background()
	provider := Got(oidc.NewProvider(ctx, URL()))
	verifier := provider.Verifier(&oidc.Config{ClientID: URL(), SupportedSigningAlgs: []string{oidc.RS256}})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		name, token, _ := strings.Cut(lines.Text(), " ")
		if err := verify(ctx, verifier, token); err != nil {
			fmt.Printf("%s refused: %v\n", name, err)
		} else {
			fmt.Printf("%s accepted\n", name)
		}
	}
	Must(lines.Err())
}

// go-oidc is made for ID tokens, so it does not look at the type (RFC 9068, section 4).
func verify(ctx context.Context, verifier *oidc.IDTokenVerifier, token string) error {
	if _, err := verifier.Verify(ctx, token); err != nil {
		return err
	}
	header, _, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(header)
	if err != nil {
		return err
	}
	var fields struct {
		Typ string `json:"typ"`
	}
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	if fields.Typ != "at+jwt" {
		return errors.New("the type is " + fields.Typ)
	}
	return nil
}
