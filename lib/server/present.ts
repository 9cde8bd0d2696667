// Objects in the form a client asked for: as rows of a Table, or with nothing but their metadata. As
// apiserver/pkg/endpoints/handlers/response.go and registry/rest/table.go.
import { map } from 'rxjs';
import { badRequest, plainTable, wrongForm } from '../core/index.js';
import type {
  ApiList,
  ApiObject,
  Clock,
  Frozen,
  JsonValue,
  KindTable,
  Negotiated,
  TableColumn,
} from '../core/index.js';
import type { ApiResponse, RequestOptions, WatchResponse } from '../client/index.js';
import type { ResourceEndpoint } from './registry/endpoint.js';

/** What is needed to print objects. */
export interface Presenting {
  readonly endpoint: ResourceEndpoint;
  /** Another table than the kind's own: that of a subresource. */
  readonly table?: KindTable;
  readonly clock: Clock;
  readonly options: () => RequestOptions;
}

/** The answer in the form that was negotiated. Throws ApiError 400 and 406. */
export function present(response: ApiResponse, presenting: Presenting): ApiResponse {
  if (response.type === 'raw' || response.type === 'stream' || response.form.transform === undefined) return response;
  const { form } = response;
  const { kind } = response.form.transform;
  if (response.type === 'watch')
    return { ...response, ...(kind === 'Table' ? tableWatch(response, presenting) : partialWatch(response)) };
  const { object } = response;
  if (object.kind === 'Status') return response;
  if (kind === 'Table') return { ...response, object: tableOf(object, presenting, form) };
  if (kind === 'PartialObjectMetadata') {
    if (isList(object))
      throw wrongForm(
        `you requested PartialObjectMetadata, but the requested object is a list (*${goTypeOf(presenting, 'List')})`,
      );
    return { ...response, object: partial(object, form) };
  }
  if (!isList(object))
    throw wrongForm(
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${goTypeOf(presenting)})`,
    );
  return { ...response, object: partialList(object, form) };
}

/** The name of the kind inside Kubernetes, which its refusals give away. */
function goTypeOf({ endpoint }: Presenting, suffix = ''): string {
  const { name } = endpoint.served.type();
  return `${name.slice(0, name.indexOf('/'))}.${endpoint.gvk.kind}${suffix}`;
}

interface Row {
  readonly cells: readonly JsonValue[];
  readonly conditions?: readonly object[];
  readonly object?: Frozen<ApiObject>;
}

function tableOf(object: Frozen<ApiObject>, presenting: Presenting, form: Negotiated): Frozen<ApiObject> {
  const rows = rowsOf(isList(object) ? inOrder(object.items, presenting) : [object], presenting, form);
  return table(
    isList(object) ? (object.metadata ?? {}) : { resourceVersion: object.metadata?.resourceVersion ?? '' },
    columnsOf(tableFor(presenting)),
    rows,
    form,
  );
}

function inOrder(items: readonly Frozen<ApiObject>[], presenting: Presenting): readonly Frozen<ApiObject>[] {
  const table = tableFor(presenting);
  return table.order === undefined ? items : items.toSorted((a, b) => table.order?.(a, b) ?? 0);
}

function tableFor({ table: own, endpoint }: Presenting): KindTable {
  return own ?? endpoint.stored.strategy.table ?? plainTable;
}

function rowsOf(objects: readonly Frozen<ApiObject>[], presenting: Presenting, form: Negotiated): readonly Row[] {
  const include = presenting.options().includeObject ?? '';
  if (!['', 'Metadata', 'Object', 'None'].includes(include))
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  const { endpoint, clock } = presenting;
  const now = clock.now();
  const printer = tableFor(presenting);
  return objects.map((object) => {
    const hub = presenting.table === undefined ? endpoint.toHub(object) : object;
    const { cells, conditions } = printer.row(hub, now);
    const shown = include === 'None' ? undefined : include === 'Object' ? object : partial(object, form);
    return { cells, ...(conditions && { conditions }), ...(shown && { object: shown }) };
  });
}

function table(
  metadata: object,
  columnDefinitions: readonly object[] | null,
  rows: readonly Row[],
  form: Negotiated,
): Frozen<ApiObject> {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${form.transform?.version ?? 'v1'}`,
    metadata,
    columnDefinitions,
    rows,
  } as Frozen<ApiObject>;
}

function columnsOf({ columns }: KindTable): readonly object[] {
  return columns.map(({ name, type, format, description, priority = 0 }: TableColumn) => ({
    name,
    type,
    format: format ?? '',
    description,
    priority,
  }));
}

/** Each event of a watch is a table of one row; only the first says what the columns are. */
function tableWatch(response: WatchResponse, presenting: Presenting): Pick<WatchResponse, 'events' | 'bookmark'> {
  const { events, form } = response;
  const columns = columnsOf(tableFor(presenting));
  let isFirst = true;
  const oneRow = (object: Frozen<ApiObject>): Frozen<ApiObject> => {
    const shown = isFirst ? columns : null;
    isFirst = false;
    return table(
      { resourceVersion: object.metadata?.resourceVersion ?? '' },
      shown,
      rowsOf([object], presenting, form),
      form,
    );
  };
  return {
    events: events.pipe(
      map((event) => (event.type === 'BOOKMARK' ? event : { type: event.type, object: oneRow(event.object) })),
    ),
    bookmark: (event) => oneRow(response.bookmark(event)),
  };
}

function partialWatch(response: WatchResponse): Pick<WatchResponse, 'events' | 'bookmark'> {
  const { events, form } = response;
  return {
    events: events.pipe(
      map((event) => (event.type === 'BOOKMARK' ? event : { type: event.type, object: partial(event.object, form) })),
    ),
    bookmark: (event) => partial(response.bookmark(event), form),
  };
}

function partial({ metadata }: Frozen<ApiObject>, form: Negotiated): Frozen<ApiObject> {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${form.transform?.version ?? 'v1'}`,
    metadata: metadata ?? {},
  };
}

function partialList({ metadata, items }: Frozen<ApiList>, form: Negotiated): Frozen<ApiObject> {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: `meta.k8s.io/${form.transform?.version ?? 'v1'}`,
    metadata: metadata ?? {},
    items: items.map((item) => partial(item, form)),
  } as Frozen<ApiObject>;
}

function isList(object: Frozen<ApiObject>): object is Frozen<ApiList> {
  return 'items' in object && Array.isArray(object.items);
}
