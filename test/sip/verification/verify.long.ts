import { describeSpokenCodes } from '../../support/calls/spoken-codes.js';

describeSpokenCodes([['en', 8]], true);
