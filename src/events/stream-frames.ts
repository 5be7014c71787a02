// The protocol between the hub and a stream over HTTP. A frame from the hub has one or more items, each on a line of
// its own. A frame from the stream is a number: how many more characters the reader of the stream has consumed. So the
// hub knows how many characters are on their way to the reader. If they are too many, the hub waits, so that a slow
// reader takes little memory.

/**
 * The hub sends a frame only if fewer characters than this are on their way to the reader. The frame itself may be
 * longer.
 */
export const STREAM_WINDOW = 256 * 1024

/** A stream reports to the hub each time its reader has consumed at least this many characters. */
export const STREAM_REPORT_MIN = STREAM_WINDOW / 4

/** Items are JSON, and `JSON.stringify` writes no line breaks. */
export const joinItems = (items: readonly string[]): string => items.join('\n')

export const splitItems = (frame: string): string[] => frame.split('\n')
