import { describeSharedEngines } from '../../support/calls/shared-engines.js';

describeSharedEngines(true);
