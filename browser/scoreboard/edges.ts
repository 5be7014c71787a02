/** Marks the edges of a box behind which there is more, on the element around it (browser/styles/scoreboard.css). */
export function markEdges(box: HTMLElement): void {
  const frame = box.parentElement
  const mark = () => {
    frame?.toggleAttribute('data-right', box.scrollLeft + box.clientWidth < box.scrollWidth - 1)
    frame?.toggleAttribute('data-below', box.scrollTop + box.clientHeight < box.scrollHeight - 1)
  }
  box.addEventListener('scroll', mark, { passive: true })
  const sizes = new ResizeObserver(mark)
  for (const one of [box, ...box.children]) sizes.observe(one)
}
