"""The papers the methods come from, cited once."""

NGRAMS = "Pajoohan 2016, Privacy preservation for publishing medical time series: k-anonymization of Ngram"
ACTIVITY = (
    "Parameshwarappa, Chen, Koru 2020, An effective and computationally efficient approach for anonymizing "
    "large-scale physical activity data: multi-level clustering-based anonymization, doi:10.4018/IJISP.2020070105"
)
TEXT = (
    "Matsubara, Hasida 2014, K-repeating substrings: a string-algorithmic approach to privacy-preserving publishing "
    "of textual data"
)
EVENTS = "Shaked, Rokach 2016, Publishing differentially private medical events data"
SERIES = (
    "Shou, Shang, Chen, Chen, Zhang 2013, Supporting pattern-preserving anonymization for time-series data, "
    "IEEE Transactions on Knowledge and Data Engineering"
)
CHEN = "Chen, Acs, Castelluccia 2012, Differentially private sequential data publication via variable-length n-grams"
