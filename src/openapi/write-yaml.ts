import { stringify } from 'yaml'

/** Writes a document as YAML. */
export function writeYaml(document: object): string {
  // Readers of YAML 1.1 treat more plain texts as dates and booleans than those of 1.2, so more must be quoted.
  return stringify(document, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0 })
}
