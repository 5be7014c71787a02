// The ids of the elements with which a page offers to create a universe. This file runs in browsers too.

/** The id of the button that creates a universe. */
export const CREATE_UNIVERSE_ID = 'create-universe'

/** The id of the element that shows the outcome. */
export const UNIVERSE_OUTCOME_ID = 'universe-outcome'
