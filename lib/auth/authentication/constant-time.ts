// Constant-time comparison of secrets: the duration depends on their lengths only.

/** Returns true if two secrets are equal. */
export function isSameSecret(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
