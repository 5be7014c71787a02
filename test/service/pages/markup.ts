import { HtmlValidate } from 'html-validate'

// The HTML of pages, as the service sends it and as their scripts have changed it.

const validator = new HtmlValidate({
  root: true,
  extends: ['html-validate:recommended'],
  rules: {
    // How hono/jsx, and a browser that writes a page down, spell the same things.
    'attribute-boolean-style': 'off',
    'attribute-empty-style': 'off',
    'doctype-style': 'off',
    'no-inline-style': 'off',
    'no-trailing-whitespace': 'off',
    'void-style': 'off',
    // HTML allows any id without white space.
    'valid-id': ['error', { relaxed: true }],
    // Boxes of one group have one name.
    'form-dup-name': ['error', { shared: ['checkbox', 'radio', 'submit', 'button', 'reset'] }],
    // The pages have lines as long as their texts.
    'long-title': 'off',
  },
})

/** What html-validate finds in a page, with the place. */
export async function findMarkupFaults(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html)
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message} (${selector})`),
  )
}

/** The values of an attribute of all elements of a kind, without references to characters. */
export function readAttributes(html: string, element: string, attribute: string): string[] {
  return [...html.matchAll(new RegExp(`<${element}(?=\\s)[^>]* ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) =>
    value.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"'),
  )
}
