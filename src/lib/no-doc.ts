/**
 * `doc` in the Worker. The function is empty, and so the bundler removes its calls with their texts. Descriptions are
 * undefined there.
 */
export function doc(_text: string): void {}
