import { SpokenCodes } from '../../../core/services/codes/spoken-codes.js';
import { ClaimOwnNumber } from '../../../core/services/own-numbers/claims.js';
import { ClaimLimits } from '../../../core/services/own-numbers/limits.js';
import type { Route } from '../../../api/http/route.js';
import { blockedCallerRoutes } from '../../../api/routes/numbers/blocked-callers.js';
import { numberBindingRoutes } from '../../../api/routes/numbers/number-binding.js';
import { numberRoutes } from '../../../api/routes/numbers/numbers.js';
import { ownNumberRoutes } from '../../../api/routes/numbers/own-numbers.js';
import { portingRoutes } from '../../../api/routes/numbers/porting.js';
import { virtualNumberRoutes } from '../../../api/routes/numbers/virtual-numbers.js';
import { openVirtualNumbers } from '../../wiring/virtual-numbers.js';
import type { RouteOptions, SharedParts } from './options.js';

/** Routes for rented, own, ported and virtual numbers, and their bindings. */
export function openNumberRoutes(options: RouteOptions, { rateLimiter }: SharedParts): Route[] {
  const { stores, cipher, media, speech, clock, log } = options;
  const { announce, numbering } = options.management;
  const { placement, systemCall } = options.placing;
  return [
    // Before the numbers, whose ids would match `own-did`.
    ...ownNumberRoutes({
      claims: new ClaimOwnNumber({
        ...numbering,
        claims: stores.ownNumberClaims,
        inventory: stores.inventory,
        numbers: stores.numbers,
        codes: options.codes,
        spoken: new SpokenCodes(speech, systemCall, clock),
        limits: new ClaimLimits(rateLimiter, cipher),
        clock,
      }),
    }),
    ...numberRoutes(numbering),
    ...portingRoutes(numbering),
    ...virtualNumberRoutes(
      openVirtualNumbers({
        stores,
        numbering,
        media,
        speech,
        checkDestination: (number, field) => placement.checkDestination(number, field),
        announce,
        clock,
        log,
      }),
    ),
    ...numberBindingRoutes({ numbers: numbering.service }),
    ...blockedCallerRoutes(options.management),
  ];
}
