import { stringify } from 'yaml'

export function writeYaml(document: object): string {
  // Readers of YAML 1.1 take more unquoted texts for dates and booleans than readers of YAML 1.2. So the document
  // quotes every text that YAML 1.1 would misread.
  return stringify(document, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0 })
}
