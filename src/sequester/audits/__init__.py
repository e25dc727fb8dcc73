"""Does the noise of a method keep the epsilon it states? Neighbours and transcripts."""
