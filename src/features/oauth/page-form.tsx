/** Where the form of a page is sent, and its hidden fields, such as the CSRF token. */
export interface PageForm {
  action: string
  hidden: Readonly<Record<string, string>>
}

export function HiddenFields({ hidden }: Pick<PageForm, 'hidden'>) {
  return (
    <>
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  )
}
