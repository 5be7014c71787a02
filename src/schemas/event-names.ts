/** Events of a planet, told to the URLs that the planet names. */
export const CALLBACK_NAMES = ['planetCreated', 'planetCreationFailed', 'planetExploded'] as const

/** Events that one can subscribe to. */
export const SUBSCRIPTION_NAMES = ['newPlanet'] as const

/** Every event; `ping` is the one that a subscriber asks for to see whether its receiver works. */
export const EVENT_NAMES = [...CALLBACK_NAMES, ...SUBSCRIPTION_NAMES, 'ping'] as const

export type CallbackName = (typeof CALLBACK_NAMES)[number]
export type SubscriptionName = (typeof SUBSCRIPTION_NAMES)[number]
export type EventName = (typeof EVENT_NAMES)[number]
