// What the server lends to admission plugins that read its own objects. A host gives such plugins as a function of
// these tools; those that read nothing are given as they are.
import type { Observable } from 'rxjs';
import type { ObjectReader } from '../core/index.js';

/** What admission plugins are made with. */
export interface AdmissionTools {
  readonly reader: ObjectReader;
  /** Emits once when the server is closed, also to whoever comes later: what a plugin holds on to ends with it. */
  readonly closed$: Observable<void>;
}
