/** A style sheet that is imported as text (`with { type: 'text' }`). */
declare module '*.css' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: this is how such an import is defined
  export default text
}
