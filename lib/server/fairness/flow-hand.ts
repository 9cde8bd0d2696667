// Shuffle sharding: every flow is dealt a hand of a level's queues and waits in the shortest of them, so that two flows
// seldom share all of theirs and one that floods its own leaves the others' alone. As
// apiserver/pkg/util/shufflesharding/shufflesharding.go; the hash is one of 53 bits instead of SHA-256's first 64,
// which is more than hands of Kubernetes' own levels need (at most 42).

/** The queues of a flow, by number, each once. */
export function dealHand(flow: string, queues: number, handSize: number): readonly number[] {
  const remainders: number[] = [];
  let rest = hash53(flow);
  for (let dealt = 0; dealt < handSize; dealt++) {
    const left = queues - dealt;
    remainders.push(rest % left);
    rest = Math.floor(rest / left);
  }
  // Each remainder counts among the queues not dealt yet.
  return remainders.map((remainder, index) => {
    let card = remainder;
    for (let before = index - 1; before >= 0; before--) if (card >= (remainders[before] ?? 0)) card += 1;
    return card;
  });
}

/** Two independent hashes of 32 bits, mixed (after Murmur's finisher). */
function hash53(text: string): number {
  let high = 0x9e3779b9;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x85ebca77);
    low = Math.imul(low ^ code, 0xc2b2ae3d);
  }
  high = Math.imul(high ^ (high >>> 15), 0x735a2d97) ^ Math.imul(low ^ (low >>> 13), 0x85ebca6b);
  low = Math.imul(low ^ (low >>> 15), 0xcaf649a9) ^ Math.imul(high ^ (high >>> 13), 0x2c1b3c6d);
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
