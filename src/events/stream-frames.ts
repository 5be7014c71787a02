// What the hub and a stream over HTTP say to each other. A frame of the hub has one or more items, each on a line of its
// own. A frame of the stream is a number: of how many more characters its reader has taken. The hub sends a frame only if
// less than its window is on the way, so a reader that is slow takes little memory.

/** How many characters of items may be on the way to a reader before a frame, which may go beyond it. */
export const STREAM_WINDOW = 256 * 1024

/** How many characters a stream lets its reader take before it says so. */
export const STREAM_REPORT_MIN = STREAM_WINDOW / 4

// JSON that is written without spaces has no line breaks.
export const joinItems = (items: readonly string[]): string => items.join('\n')
export const splitItems = (frame: string): string[] => frame.split('\n')
