// The elements with which a page offers to create a universe. This file runs in browsers too.

/** The button. */
export const CREATE_UNIVERSE_ID = 'create-universe'

/** The element with the outcome. */
export const UNIVERSE_OUTCOME_ID = 'universe-outcome'
