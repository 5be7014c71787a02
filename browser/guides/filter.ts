// Finds guides by words in their titles, sentences and headings. The text is kept in the address.

const NAME = 'text'

/** Makes the search of /guides work. Guides are what the build has rendered (documents/guides/guides.tsx). */
export function startGuideFilter(): void {
  const part = document.querySelector<HTMLElement>('#guide-filter')
  const field = document.querySelector<HTMLInputElement>('#guide-text')
  const count = document.querySelector<HTMLElement>('#guide-count')
  if (!(part && field && count)) return
  field.value = new URLSearchParams(location.search).get(NAME) ?? ''
  count.textContent = filterGuides(field.value)
  part.addEventListener('input', () => {
    const url = new URL(location.href)
    if (field.value.trim() === '') url.searchParams.delete(NAME)
    else url.searchParams.set(NAME, field.value.trim())
    history.replaceState(history.state, '', url)
    count.textContent = filterGuides(field.value)
  })
}

/** Shows the headings that have all words, and the guides that have such headings or words. @returns What was found */
function filterGuides(text: string): string {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const isFiltered = words.length > 0
  const fits = (element: Element | null) => {
    const own = element?.textContent?.toLowerCase() ?? ''
    return words.every((word) => own.includes(word))
  }
  let found = 0
  for (const guide of document.querySelectorAll<HTMLElement>('[data-guide]')) {
    const isOwn = fits(guide.querySelector('h3')) || fits(guide.querySelector('p'))
    const headings = [...guide.querySelectorAll<HTMLElement>('li')]
    for (const heading of headings) heading.hidden = isFiltered && !fits(heading)
    const fitting = headings.filter(({ hidden }) => !hidden).length
    guide.hidden = isFiltered && !isOwn && fitting === 0
    const details = guide.querySelector('details')
    if (details) {
      details.open = isFiltered && fitting > 0
      details.hidden = fitting === 0
    }
    if (isFiltered) found += fitting + (isOwn ? 1 : 0)
  }
  for (const group of document.querySelectorAll<HTMLElement>('[data-guides]')) {
    group.hidden = [...group.querySelectorAll<HTMLElement>('[data-guide]')].every(({ hidden }) => hidden)
  }
  if (!isFiltered) return ''
  return found === 1 ? '1 title or heading' : `${found} titles and headings`
}
