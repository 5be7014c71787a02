// The ids of the elements with which a page offers to create a universe. This file runs in browsers too.

export const CREATE_UNIVERSE_ID = 'create-universe'

export const UNIVERSE_OUTCOME_ID = 'universe-outcome'
