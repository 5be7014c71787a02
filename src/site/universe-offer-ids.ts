// The elements with which a page offers to create a universe. This file runs in browsers too.

/** The button. */
export const CREATE_UNIVERSE_ID = 'create-universe'

/** Where the page says whether that has worked. */
export const UNIVERSE_OUTCOME_ID = 'universe-outcome'
