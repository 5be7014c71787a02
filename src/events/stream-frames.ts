// The protocol between the hub and a stream over HTTP. A frame of the hub has one or more items, each on a line of its
// own. A frame of the stream is a number: how many more characters its reader has consumed. The hub sends a frame only
// if fewer characters than the window are not yet consumed, so a slow reader takes little memory.

/**
 * The window: a frame is sent only if fewer characters than this are not yet consumed. The frame itself may exceed it.
 */
export const STREAM_WINDOW = 256 * 1024

/** A stream reports to the hub each time its reader has consumed this many characters. */
export const STREAM_REPORT_MIN = STREAM_WINDOW / 4

// JSON that is written without spaces has no line breaks.
export const joinItems = (items: readonly string[]): string => items.join('\n')
export const splitItems = (frame: string): string[] => frame.split('\n')
