// An untrusted document becomes an object of a known type, as a Kubernetes server would hold it.
import { builtinScheme, deepFreeze } from 'vivarium';
import { decodeJsonBody, isDecodeError } from 'vivarium/core';

const scheme = builtinScheme();
const podKind = { group: '', version: 'v1', kind: 'Pod' };
const type = scheme.typeOf(podKind);

const { object, warnings } = decodeJsonBody(
  type,
  '{"metadata":{"name":"web"},"spec":{"containers":[{"name":"web","image":"nginx","port":80,"resources":{"limits":{"cpu":0.5}}}]}}',
);
scheme.setDefaults(object, podKind);
const pod = deepFreeze(object);
console.log(JSON.stringify(pod, null, 1));
console.log(warnings.join('\n'));

try {
  decodeJsonBody(type, '{"spec":{"containers":[{"name":7}]}}');
} catch (error) {
  if (isDecodeError(error)) console.log(error.message);
}

// prints:
// {
//  "metadata": {
//   "name": "web"
//  },
//  "spec": {
//   "containers": [
//    {
//     "name": "web",
//     "image": "nginx",
//     "resources": {
//      "limits": {
//       "cpu": "500m"
//      },
//      "requests": {
//       "cpu": "500m"
//      }
//     },
//     "terminationMessagePath": "/dev/termination-log",
//     "terminationMessagePolicy": "File",
//     "imagePullPolicy": "Always"
//    }
//   ],
//   "restartPolicy": "Always",
//   "terminationGracePeriodSeconds": 30,
//   "dnsPolicy": "ClusterFirst",
//   "securityContext": {},
//   "schedulerName": "default-scheduler",
//   "enableServiceLinks": true
//  },
//  "status": {}
// }
// unknown field "spec.containers[0].port"
// json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string
