// What was negotiated before: clients send the same few Accept headers over and over, and an offer is a constant of its
// endpoint. Bounded in number and in length of what is remembered; what is not remembered is negotiated again.
import type { Negotiated, Offer } from '../../core/index.js';
import { negotiate } from '../../core/index.js';

/** Negotiates, and remembers. */
export type Negotiate = (accept: string | undefined, offer: Offer) => Negotiated | undefined;

/** A memory for one server. */
export function rememberNegotiations(): Negotiate {
  const known = new WeakMap<Offer, Map<string, Negotiated | undefined>>();
  return (accept = '', offer) => {
    if (accept.length > acceptLengthMax) return negotiate(accept, offer);
    let forms = known.get(offer);
    if (forms === undefined) known.set(offer, (forms = new Map<string, Negotiated | undefined>()));
    const form = forms.get(accept);
    if (form !== undefined || forms.has(accept)) return form;
    if (forms.size >= formsMax) forms.clear();
    const fresh = negotiate(accept, offer);
    forms.set(accept, fresh);
    return fresh;
  };
}

const acceptLengthMax = 512;
const formsMax = 64;
