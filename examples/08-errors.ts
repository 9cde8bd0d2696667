// Refusals are values: made by name, recognised by reason, carried as the Status that a client receives.
import { isApiError } from 'vivarium';
import { alreadyExists, fieldPath, fieldRequired, invalid, toStatus } from 'vivarium/core';

const pods = { group: '', resource: 'pods', name: 'web' };
try {
  throw alreadyExists(pods);
} catch (error) {
  if (!isApiError(error, 'AlreadyExists')) throw error;
  console.log(error.message, error.status.details?.name);
}

const image = fieldPath('spec', 'containers').index(0).child('image');
const refusal = invalid({ group: '', kind: 'Pod' }, 'web', [fieldRequired(image)]);
console.log(JSON.stringify(toStatus(refusal)));

// prints:
// pods "web" already exists web
// {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Pod \"web\" is invalid: spec.containers[0].image: Required value","reason":"Invalid","details":{"name":"web","kind":"Pod","causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.containers[0].image"}]},"code":422}
