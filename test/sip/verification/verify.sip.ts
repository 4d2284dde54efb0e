import { describeSpokenCodes } from '../../support/calls/spoken-codes.js';

describeSpokenCodes([['ar', 4]], false);
