// Names of this group may hold colons and capitals: whatever fits a URL's path.
import { isPathSegment } from '../../objects/names.js';
import type { NameRule } from '../../objects/names.js';

/** The same rule for a prefix of a name. As pkg/apis/rbac/validation/validation.go, ValidateRBACName. */
export const rbacName: NameRule = (name) => isPathSegment(name);
