import { callsBetweenProjects } from '../../support/calls/between-projects.js';
import { ownPlatform } from '../../support/stages/process-stage.js';

describe('a call to a number of another project, on Asterisk', () => {
  callsBetweenProjects(() => ownPlatform());
});
