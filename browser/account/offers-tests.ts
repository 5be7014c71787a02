/** Whether receivers can be tested here: the operator can switch it off (`DEMO_CONTROLS`). The page says so. */
export function offersTests(): boolean {
  return document.querySelector<HTMLElement>('#account')?.dataset.tests !== undefined
}
