// Objects in the form that a client requested: as a Table, or as PartialObjectMetadata. As
// apiserver/pkg/endpoints/handlers/response.go and registry/rest/table.go.
import { map } from 'rxjs';
import { badRequest, plainTable, wrongForm } from '../../core/index.js';
import type {
  ApiList,
  ApiObject,
  Clock,
  Frozen,
  JsonValue,
  KindTable,
  Negotiated,
  TableColumn,
  ApiResponse,
  RequestOptions,
  WatchResponse,
} from '../../core/index.js';
import type { ResourceEndpoint } from '../registry/endpoint.js';

/** What transforming a response needs. */
export interface ResponseTransform {
  readonly endpoint: ResourceEndpoint;
  /** The table of a subresource; default that of the kind. */
  readonly table?: KindTable;
  readonly clock: Clock;
  readonly options: () => RequestOptions;
}

/** Returns the response in the negotiated form. Throws ApiError 400 and 406. */
export function transformResponse(response: ApiResponse, transform: ResponseTransform): ApiResponse {
  if (response.type === 'raw' || response.type === 'stream' || response.form.transform === undefined) return response;
  const { form } = response;
  const { kind } = response.form.transform;
  if (response.type === 'watch')
    return { ...response, ...(kind === 'Table' ? tableWatch(response, transform) : partialWatch(response)) };
  const { object } = response;
  if (object.kind === 'Status') return response;
  if (kind === 'Table') return { ...response, object: tableOf(object, transform, form) };
  if (kind === 'PartialObjectMetadata') {
    if (isList(object))
      throw wrongForm(
        `you requested PartialObjectMetadata, but the requested object is a list (*${goTypeOf(transform, 'List')})`,
      );
    return { ...response, object: partial(object, form) };
  }
  if (!isList(object))
    throw wrongForm(
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${goTypeOf(transform)})`,
    );
  return { ...response, object: partialList(object, form) };
}

/** The Go type of the kind, as messages of Kubernetes print it. */
function goTypeOf({ endpoint }: ResponseTransform, suffix = ''): string {
  const { name } = endpoint.served.type();
  return `${name.slice(0, name.indexOf('/'))}.${endpoint.gvk.kind}${suffix}`;
}

interface Row {
  readonly cells: readonly JsonValue[];
  readonly conditions?: readonly object[];
  readonly object?: Frozen<ApiObject>;
}

function tableOf(object: Frozen<ApiObject>, transform: ResponseTransform, form: Negotiated): Frozen<ApiObject> {
  const rows = rowsOf(isList(object) ? inOrder(object.items, transform) : [object], transform, form);
  return table(
    isList(object) ? (object.metadata ?? {}) : { resourceVersion: object.metadata?.resourceVersion ?? '' },
    columnsOf(tableFor(transform)),
    rows,
    form,
  );
}

function inOrder(items: readonly Frozen<ApiObject>[], transform: ResponseTransform): readonly Frozen<ApiObject>[] {
  const table = tableFor(transform);
  return table.order === undefined ? items : items.toSorted((a, b) => table.order?.(a, b) ?? 0);
}

function tableFor({ table: own, endpoint }: ResponseTransform): KindTable {
  return own ?? endpoint.stored.strategy.table ?? plainTable;
}

function rowsOf(objects: readonly Frozen<ApiObject>[], transform: ResponseTransform, form: Negotiated): readonly Row[] {
  const include = transform.options().includeObject ?? '';
  if (!['', 'Metadata', 'Object', 'None'].includes(include))
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  const { endpoint, clock } = transform;
  const now = clock.now();
  const printer = tableFor(transform);
  return objects.map((object) => {
    const hub = transform.table === undefined ? endpoint.toHub(object) : object;
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

/** Each event of a watch is a table of one row; only the first has column definitions. */
function tableWatch(response: WatchResponse, transform: ResponseTransform): Pick<WatchResponse, 'events' | 'bookmark'> {
  const { events, form } = response;
  const columns = columnsOf(tableFor(transform));
  let isFirst = true;
  const oneRow = (object: Frozen<ApiObject>): Frozen<ApiObject> => {
    const shown = isFirst ? columns : null;
    isFirst = false;
    return table(
      { resourceVersion: object.metadata?.resourceVersion ?? '' },
      shown,
      rowsOf([object], transform, form),
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
