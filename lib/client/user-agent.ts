// How programs name themselves to a server: the product of the User-Agent is the field manager of what they write.

/** The version of this package, as package.json has it. */
const packageVersion = '0.1.0';

/** The User-Agent of a program that is part of this package, such as `kube-scheduler`. */
export function userAgentOf(program: string): string {
  return `${program}/${packageVersion}`;
}
