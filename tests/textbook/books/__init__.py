"""Problems of well-known books, with the answers that the books print."""

from tests.textbook.books import goldstein, greenwood, landau_lifshitz, meirovitch, taylor

BOOKS = {
    "Goldstein": goldstein.PROBLEMS,
    "Landau and Lifshitz": landau_lifshitz.PROBLEMS,
    "Taylor": taylor.PROBLEMS,
    "Greenwood": greenwood.PROBLEMS,
    "Meirovitch": meirovitch.PROBLEMS,
}
